import { invalidRequest, MAX_USAGE_DAYS, showUsage } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { UsageRepository } from '../../platform/usage/index.ts';
import type { Access } from '../access/access.ts';
import { type Period, toUsage } from './usage.rules.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAY_READ = { role: 'editor', scope: 'read' } as const;

export interface UsageRoutesDeps {
  readonly access: Access;
  readonly usage: Pick<UsageRepository, 'list'>;
  readonly clock: Clock;
}

export function registerUsageRoutes(
  app: FastifyInstance,
  { access, usage, clock }: UsageRoutesDeps,
): void {
  route(app, showUsage, {
    caller: access.caller,
    handle: async ({ caller, params, query }) => {
      const { spaceId } = await access.space(caller, params.spaceId, MAY_READ);
      const period = readPeriod(query, clock());
      return {
        status: 200,
        body: toUsage(period, await usage.list(spaceId, period.from, period.to)),
      };
    },
  });
}

/** Throws 400 if the period is empty or too long. */
function readPeriod(
  { from, to }: { readonly from?: string; readonly to?: string },
  now: number,
): Period {
  const last = to ?? dayOf(now);
  const first = from ?? dayOf(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  if (Number.isNaN(days))
    throw invalidRequest('spaces', ['from and to: must be days such as 2026-05-03']);
  if (days < 1) throw invalidRequest('spaces', ['from: must not be after `to`']);
  if (days > MAX_USAGE_DAYS)
    throw invalidRequest('spaces', [`from: at most ${MAX_USAGE_DAYS} days until \`to\``]);
  return { from: first, to: last };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
