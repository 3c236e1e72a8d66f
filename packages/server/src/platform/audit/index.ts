export {
  type AuditFact,
  actionWrites,
  prepareActions,
  prepareFirstAction,
  recordAction,
  recordRead,
} from './audit.repository.ts';
export { type AuditActor, type AuditOrigin, actingFrom, NOBODY, OPERATOR } from './origin.ts';
