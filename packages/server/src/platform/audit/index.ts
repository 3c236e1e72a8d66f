export {
  type AuditFact,
  prepareActions,
  prepareFirstAction,
  recordAction,
  recordRead,
} from './audit.repository.ts';
export { type AuditActor, type AuditOrigin, actingFrom, NOBODY, OPERATOR } from './origin.ts';
