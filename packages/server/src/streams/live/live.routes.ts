import { Readable } from 'node:stream';
import { streamEvents } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { route } from '../../http/index.ts';
import type { Access, Caller } from '../../identity/index.ts';
import type { EventFilter } from '../../storage/ports/index.ts';
import { positionOf } from '../feed/feed.rules.ts';
import { mayRead } from '../feed/feed.service.ts';
import type { Live } from './live.service.ts';

export interface LiveRoutesDeps {
  readonly access: Access;
  readonly live: Live;
}

/** Proxies that gather an answer before they pass it on are asked not to. */
const HEADERS = { 'x-accel-buffering': 'no' };

/** `GET /events/stream` */
export function registerLiveRoutes(app: FastifyInstance, { access, live }: LiveRoutesDeps): void {
  // Streams have no end of their own that the service could wait for.
  app.addHook('preClose', async () => live.close());

  route(app, streamEvents, {
    caller: (request) => access.caller(request),
    handle: async ({ caller, query, request }) => {
      const after = resumeFrom(request, query.after);
      const spaceId = await mayRead(access, caller, query.spaceId);
      const requireRight = async () => {
        await mayRead(access, await access.caller(request), spaceId);
      };
      const { type, source, subject } = query;
      const filter: EventFilter = {
        ...(type === undefined ? {} : { type }),
        ...(source === undefined ? {} : { source }),
        ...(subject === undefined ? {} : { subject }),
      };
      const stream =
        request.method === 'HEAD'
          ? Readable.from([])
          : await live.open({
              spaceId,
              after,
              filter,
              credential: credentialOf(caller),
              requireRight,
            });
      return { status: 200, stream, headers: HEADERS };
    },
  });
}

/** The header decides: a client that connects again sends it beside the `after` of its first time. */
function resumeFrom({ headers }: FastifyRequest, after: string | undefined): number | null {
  const lastEventId = headers['last-event-id'];
  if (lastEventId !== undefined && lastEventId !== '')
    return positionOf(String(lastEventId), 'Last-Event-ID');
  return after === undefined ? null : positionOf(after);
}

function credentialOf(caller: Caller): string {
  return caller.kind === 'key' ? caller.keyId : caller.sessionId;
}
