import type { Operation } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type BodyOf,
  type Call,
  type ReplayRules,
  type ResultOf,
  type RouteOptions,
  route,
  routesFor,
} from '../../http/index.ts';
import type { JoinedWrites } from '../../storage/ports/index.ts';
import type { Access, BotAccess, Caller, Need, SpaceAccess, UserCaller } from './access.ts';
import { replayOnBot, replayWith } from './replay.ts';

/** API keys are rejected unless the right has a scope. */
type CallerWith<N extends Need> = N extends { readonly scope: string } ? Caller : UserCaller;

type Rules<C> = Pick<RouteOptions<Operation, C>, 'rules' | 'handlerRules'>;

/** Registers operations that require one right on a space or bot. The right is checked before the handler runs. */
export interface CheckedRoutes<C, Place> {
  /**
   * Registers an operation with a single status. The handler returns the body of the response, if the operation has one.
   *
   * @param options.isSlow `true` checks the right again before the response. For reads that take long.
   */
  <O extends Operation>(
    operation: O,
    handle: (place: Place, call: Call<O, C>) => Promise<ResultOf<O>>,
    options?: Rules<C> & { readonly isSlow?: boolean },
  ): void;
  /** Registers an idempotent operation. The handler commits `stored` together with the resource, which it returns. */
  create<O extends Operation>(
    operation: O,
    handle: (place: Place, call: Call<O, C>, stored: JoinedWrites<BodyOf<O>>) => Promise<BodyOf<O>>,
    options?: Rules<C> & { readonly locationOf?: (created: BodyOf<O>) => string },
  ): void;
}

/**
 * Returns a function that registers operations on the space in their path.
 *
 * @example
 * const edit = routesOnSpace(app, access, { role: 'editor' });
 * edit(showEventSource, (space, { params }) => sources.show(space, params.sourceId));
 */
export function routesOnSpace<const N extends Need>(
  app: FastifyInstance,
  access: Pick<Access, 'caller' | 'user' | 'space'>,
  need: N,
): CheckedRoutes<CallerWith<N>, SpaceAccess> {
  const placeOf = (caller: Caller, { spaceId }: Params) =>
    access.space(caller, String(spaceId), need);
  return checkedRoutes(app, access, { need, placeOf, replay: replayWith(access, need) });
}

/** Like `routesOnSpace`, for operations on the bot in their path. */
export function routesOnBot<const N extends Need>(
  app: FastifyInstance,
  access: Pick<Access, 'caller' | 'user' | 'bot'>,
  need: N,
): CheckedRoutes<CallerWith<N>, BotAccess> {
  const placeOf = (caller: Caller, { botId }: Params) => access.bot(caller, Number(botId), need);
  return checkedRoutes(app, access, { need, placeOf, replay: replayOnBot(access, need) });
}

type Params = Readonly<Record<string, unknown>>;

interface Check<N extends Need, Place> {
  readonly need: N;
  readonly placeOf: (caller: Caller, params: Params) => Promise<Place>;
  readonly replay: ReplayRules<Caller>;
}

function checkedRoutes<N extends Need, Place extends SpaceAccess>(
  app: FastifyInstance,
  access: Pick<Access, 'caller' | 'user'>,
  { need, placeOf, replay }: Check<N, Place>,
): CheckedRoutes<CallerWith<N>, Place> {
  type C = CallerWith<N>;
  type Sent = Awaited<ReturnType<RouteOptions<Operation, C>['handle']>>;
  const caller = (request: FastifyRequest) =>
    (need.scope === undefined ? access.user(request) : access.caller(request)) as Promise<C>;

  const routes = routesFor(app, caller);
  const register = (
    operation: Operation,
    handle: (place: Place, call: Call<Operation, C>) => Promise<unknown>,
    { isSlow = false, ...rules }: Rules<C> & { readonly isSlow?: boolean } = {},
  ): void =>
    routes(
      operation,
      async (call) => {
        const params = call.params as Params;
        const place = await placeOf(call.caller, params);
        const result = await handle(place, call);
        if (isSlow) await placeOf(await caller(call.request), params);
        return result;
      },
      rules,
    );

  const create = (
    operation: Operation,
    handle: (
      place: Place,
      call: Call<Operation, C>,
      stored: JoinedWrites<unknown>,
    ) => Promise<unknown>,
    {
      locationOf,
      ...rules
    }: Rules<C> & { readonly locationOf?: (created: unknown) => string } = {},
  ): void => {
    const responseTo = (body: unknown) =>
      ({
        status: 201,
        body,
        ...(locationOf === undefined ? {} : { headers: { location: locationOf(body) } }),
      }) as Sent;
    route(app, operation, {
      ...rules,
      caller,
      replay,
      async handle(call) {
        const place = await placeOf(call.caller, call.params as Params);
        const { spaceId } = place;
        const stored = call.once.store((body) => ({ spaceId, response: responseTo(body) }));
        return responseTo(await handle(place, call, stored));
      },
    });
  };
  return Object.assign(register, { create }) as unknown as CheckedRoutes<C, Place>;
}
