export { createInstallationRepository } from './installation.repository.ts';
export { type Installation, openInstallation, openSecretOf } from './open-installation.ts';
export { EXIT, OperatorFailure, operatorFailureOf } from './operator-failure.ts';
export { acceptSecret, confirmSecret, WrongSecret } from './secret-check.service.ts';
export { VERSION } from './version.ts';
