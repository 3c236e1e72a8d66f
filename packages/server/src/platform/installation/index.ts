export {
  checkSecret,
  type Installation,
  openInstallation,
  openSecretOf,
  replaceSecret,
} from './installation.service.ts';
export { EXIT, OperatorFailure, operatorFailureOf } from './operator-failure.ts';
export { VERSION } from './version.ts';
