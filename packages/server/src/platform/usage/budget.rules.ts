import type { Budget } from '@gatehouse/contract';
import type { SpentInPeriods } from './budget.repository.ts';

const MILLION = 1_000_000;

/** Reports whether a limit of a budget is reached. */
export function isUsedUp(limits: Budget, { day, month }: SpentInPeriods): boolean {
  const reached = (spent: number, limit: number | undefined) =>
    limit !== undefined && spent >= limit;
  return (
    reached(day.tokens, limits.tokensPerDay) ||
    reached(month.tokens, limits.tokensPerMonth) ||
    reached(day.costMillionths / MILLION, limits.costPerDay) ||
    reached(month.costMillionths / MILLION, limits.costPerMonth)
  );
}
