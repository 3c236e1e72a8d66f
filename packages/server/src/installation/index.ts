export { acceptSecret, confirmSecret, WrongSecret } from './secret-check.service.ts';
