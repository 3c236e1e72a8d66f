export {
  type BudgetOwner,
  type BudgetRepository,
  createBudgetRepository,
  type Spent,
  type SpentInPeriods,
} from './budget.repository.ts';
export { isUsedUp } from './budget.rules.ts';
export {
  createUsageRepository,
  type UsageOfDay,
  type UsageRepository,
} from './usage.repository.ts';
export { createUsageCounter, type UsageCounter } from './usage-counter.ts';
