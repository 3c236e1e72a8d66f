import type { Operation } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import type { ResponseOf } from './response.ts';
import { type Call, type RouteOptions, route } from './route.ts';

/** The body of the JSON responses of an operation. */
export type BodyOf<O extends Operation> = Extract<ResponseOf<O>, { body: unknown }>['body'];

/** The result of a handler: the body of the response. The result for an operation without a body is ignored. */
export type ResultOf<O extends Operation> = [BodyOf<O>] extends [never] ? unknown : BodyOf<O>;

export type ExtraOptions<C> = Omit<RouteOptions<Operation, C>, 'caller' | 'handle'>;

/**
 * Returns a function that registers operations with a single status. Their handlers return only the body of the response.
 *
 * @example
 * const forUsers = routesFor(app, access.user);
 * forUsers(showSession, ({ caller }) => sessions.show(caller));
 */
export function routesFor<C>(app: FastifyInstance, caller: RouteOptions<Operation, C>['caller']) {
  type Sent = Awaited<ReturnType<RouteOptions<Operation, C>['handle']>>;
  return <O extends Operation>(
    operation: O,
    handle: (call: Call<O, C>) => ResultOf<O> | Promise<ResultOf<O>>,
    options?: ExtraOptions<C>,
  ): void => {
    const [status, ...others] = Object.keys(operation.responses).map(Number);
    if (others.length > 0) throw new Error(`${operation.id} has more than one status`);
    route<Operation, C>(app, operation, {
      ...options,
      caller,
      async handle(call) {
        const body = await handle(call as unknown as Call<O, C>);
        return { status, body: status === 204 ? undefined : body } as Sent;
      },
    });
  };
}
