import { streamEvents } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { route, UNBUFFERED } from '../../http/index.ts';
import type { Access, Caller } from '../../identity/index.ts';
import type { EventFilter } from '../../storage/ports/index.ts';
import { positionOf } from '../feed/feed.rules.ts';
import { mayRead } from '../feed/feed.service.ts';
import type { Live } from './live.service.ts';

export interface LiveRoutesDeps {
  readonly access: Access;
  readonly live: Live;
}

export function registerLiveRoutes(app: FastifyInstance, { access, live }: LiveRoutesDeps): void {
  // Streams never end by themselves, so the service must end them before it closes.
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
      const stream = await live.open({
        spaceId,
        after,
        filter,
        credential: credentialOf(caller),
        requireRight,
      });
      return { status: 200, stream, headers: UNBUFFERED };
    },
  });
}

/** The header takes precedence: a reconnecting client sends the header in addition to the original `after`. */
function resumeFrom({ headers }: FastifyRequest, after: string | undefined): number | null {
  const lastEventId = headers['last-event-id'];
  if (lastEventId !== undefined && lastEventId !== '')
    return positionOf(String(lastEventId), 'Last-Event-ID');
  return after === undefined ? null : positionOf(after);
}

function credentialOf(caller: Caller): string {
  return caller.kind === 'key' ? caller.keyId : caller.sessionId;
}
