export { documentSettings } from './documentation.ts';
export {
  type Environment,
  publicBaseUrl,
  readSettings,
  type Settings,
  type SettingsResult,
} from './settings.ts';
