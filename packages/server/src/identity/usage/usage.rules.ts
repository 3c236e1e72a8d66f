import type { Budget, BudgetState, Usage, UsageDay } from '@gatehouse/contract';
import { DAY_MS, dayOf } from '../../lib/scheduling/index.ts';
import {
  isUsedUp,
  type Spent,
  type SpentInPeriods,
  type UsageOfDay,
} from '../../platform/usage/index.ts';

export interface Period {
  /** First day, such as `2026-05-03`. */
  readonly from: string;
  /** Last day. */
  readonly to: string;
}

const MILLION = 1_000_000;

/** Returns the usage of a period, with zeros for days without usage. */
export function toUsage(
  { from, to }: Period,
  stored: readonly UsageOfDay[],
  budget: BudgetState | null,
): Usage {
  const byDay = new Map(stored.map((usage) => [usage.day, usage]));
  const days: UsageDay[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MS) {
    const day = dayOf(time);
    days.push({ day, ...amountsOf(byDay.get(day)) });
  }
  const sum = (read: (usage: UsageOfDay) => number) =>
    stored.reduce((total, usage) => total + read(usage), 0);
  const totals = {
    questions: sum(({ questions }) => questions),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cost: sum(({ costMillionths }) => costMillionths) / MILLION,
    documents: sum(({ documents }) => documents),
    events: sum(({ events }) => events),
  };
  return { from, to, totals, days, budget };
}

export function toBudgetState(limits: Budget, spent: SpentInPeriods): BudgetState {
  const amounts = ({ tokens, costMillionths }: Spent) => ({
    tokens,
    cost: costMillionths / MILLION,
  });
  return {
    limits,
    day: amounts(spent.day),
    month: amounts(spent.month),
    isUsedUp: isUsedUp(limits, spent),
  };
}

function amountsOf(usage: UsageOfDay | undefined): Omit<UsageDay, 'day'> {
  return {
    questions: usage?.questions ?? 0,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    cost: (usage?.costMillionths ?? 0) / MILLION,
    documents: usage?.documents ?? 0,
    events: usage?.events ?? 0,
  };
}
