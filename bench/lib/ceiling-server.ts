// Upper bound: our HTTP application without authentication and store. `POST /events` parses and validates the batch as the service does.
// `POST /assistant-link/exchange` is an empty JSON route.
import { exchangeLink, ingestEvents } from '@gatehouse/contract';
import { pino } from 'pino';
import {
  anyone,
  bytesOf,
  createHttp,
  registerHealth,
  registerMetrics,
  route,
} from '../../packages/server/src/http/index.ts';
import { readBatch } from '../../packages/server/src/ingest/formats/batch.rules.ts';
import { createMetrics } from '../../packages/server/src/platform/metrics/index.ts';
import { createObjectsYoung } from '../../packages/server/src/start/young-generation.ts';
import { createMemoryRateCounts } from '../../packages/server/src/storage/single-process/index.ts';

createObjectsYoung();
const log = pino(pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 500 }));
const app = await createHttp({ log, trustedProxies: [], rates: createMemoryRateCounts(Date.now) });
const metrics = createMetrics();
registerMetrics(app, { metrics });
registerHealth(app, { check: () => {}, isDraining: () => false, metrics });

route(app, ingestEvents, {
  caller: anyone,
  rawBody: true,
  handle: async ({ request }) => {
    const { events } = readBatch(bytesOf(request.body));
    const eventIds = events.flatMap((event) => (event.valid ? [event.id] : []));
    const failed = events.length - eventIds.length;
    return {
      status: 200,
      body: { success: failed === 0, processed: eventIds.length, failed, eventIds },
    };
  },
});

const EMPTY = JSON.stringify({ ok: true });
route(app, exchangeLink, {
  caller: anyone,
  handle: async () => ({ status: 200, text: EMPTY }),
});

process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
await app.listen({ host: '127.0.0.1', port: Number(process.env['GATEHOUSE_PORT']) });
