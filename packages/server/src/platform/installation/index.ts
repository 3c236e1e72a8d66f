export { createInstallationRepository } from './installation.repository.ts';
export { acceptSecret, confirmSecret, WrongSecret } from './secret-check.service.ts';
