import { invalidRequest, MAX_USAGE_DAYS, showUsage } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Clock, DAY_MS, dayOf } from '../../lib/scheduling/index.ts';
import type { BudgetRepository, UsageRepository } from '../../platform/usage/index.ts';
import type { Access } from '../access/access.ts';
import { routesOnSpace } from '../access/checked-routes.ts';
import { type Period, toBudgetState, toUsage } from './usage.rules.ts';

const DEFAULT_DAYS = 30;
/** RFC 3339 cannot express earlier days. */
const FIRST_DAY = Date.parse('0000-01-01');

export interface UsageRoutesDeps {
  readonly access: Access;
  readonly usage: Pick<UsageRepository, 'list'>;
  readonly budgets: Pick<BudgetRepository, 'ofSpace' | 'spent'>;
  readonly clock: Clock;
}

export function registerUsageRoutes(
  app: FastifyInstance,
  { access, usage, budgets, clock }: UsageRoutesDeps,
): void {
  const read = routesOnSpace(app, access, { role: 'editor', scope: 'read' });
  read(showUsage, async ({ spaceId }, { query }) => {
    const now = clock();
    const period = readPeriod(query, now);
    const limits = await budgets.ofSpace(spaceId);
    const budget =
      limits && toBudgetState(limits, await budgets.spent({ spaceId, linkId: null }, now));
    const days = await usage.list(spaceId, period.from, period.to);
    return toUsage(period, days, budget);
  });
}

/** Throws 400 if the period is empty or too long. */
function readPeriod(
  { from, to }: { readonly from?: string; readonly to?: string },
  now: number,
): Period {
  const last = to ?? dayOf(now);
  const first = from ?? dayOf(Math.max(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS, FIRST_DAY));
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  if (days < 1) throw invalidRequest('spaces', ['from: must not be after `to`']);
  if (days > MAX_USAGE_DAYS)
    throw invalidRequest('spaces', [`from: at most ${MAX_USAGE_DAYS} days until \`to\``]);
  return { from: first, to: last };
}
