export { documentSettings } from './documentation.ts';
export { type EffectiveSetting, effectiveSettings } from './effective.ts';
export {
  type Environment,
  publicBaseUrl,
  readSettings,
  type Settings,
  type SettingsResult,
} from './settings.ts';
export { type GroupRole, isLoopback } from './single-sign-on-schemas.ts';
