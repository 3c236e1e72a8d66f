export { ConfigError } from './config-error.ts';
export { declarations } from './declarations.ts';
export type { Environment } from './environment.ts';
export { Secret } from './secret.ts';
export { openSecrets, type Secrets } from './secrets.ts';
export type { PublicJwk, SessionSigningKey } from './session-signing-key.ts';
export { publicBaseUrl, readSettings, type Settings, type SettingsResult } from './settings.ts';
