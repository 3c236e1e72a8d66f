export { EXIT } from './exit-codes.ts';
export {
  checkSecret,
  type Installation,
  openInstallation,
  openSecretOf,
  replaceSecret,
} from './installation.service.ts';
export { type Backup, findLastBackup, recordBackup } from './last-backup.ts';
export { OperatorFailure, operatorFailureOf } from './operator-failure.ts';
export { recordSettings } from './settings-history.ts';
export { VERSION } from './version.ts';
