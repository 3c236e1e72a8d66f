export { ConfigError } from './config-error.ts';
export { copyKeys } from './copy-keys.ts';
export { declarations } from './declarations.ts';
export type { Environment } from './environment.ts';
export { syncDirectory } from './kept-file.ts';
export { Secret } from './secret.ts';
export { type FormerKeyFile, findFormerKey, type OpenedSecret, openSecret } from './secrets.ts';
export { publicBaseUrl, readSettings, type Settings, type SettingsResult } from './settings.ts';
