export {
  type AuditFact,
  actionWrites,
  prepareFirstAction,
  recordAction,
  recordRead,
} from './audit.repository.ts';
export {
  forgetSomeCreations,
  keepCreations,
  type LinkCreation,
  linkCreation,
  mayRecordCreation,
  NO_CREATION,
  selectCreations,
} from './link-creation.repository.ts';
export { type AuditActor, actingFrom, NOBODY, OPERATOR } from './origin.ts';
