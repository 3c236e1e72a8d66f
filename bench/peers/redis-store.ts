import type { LoadPackage, PeerEvent, PeerStore } from './peer-store.ts';

interface Client {
  connect(): Promise<unknown>;
  scriptLoad(script: string): Promise<string>;
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Stores the identity and the event atomically, like the transaction of the PostgreSQL store. */
const KEEP = `
for at = 1, #ARGV, 2 do
  if redis.call('SADD', KEYS[1], ARGV[at]) == 1 then
    redis.call('XADD', KEYS[2], '*', 'event', ARGV[at + 1])
  end
end`;

export async function redisStore(load: LoadPackage, path: string): Promise<PeerStore> {
  const { createClient } = load('redis') as { createClient: (options: object) => Client };
  const client = createClient({ socket: { path } });
  await client.connect();
  const sha = await client.scriptLoad(KEEP);
  return {
    async keep(events: readonly PeerEvent[]) {
      await client.evalSha(sha, {
        keys: ['identities', 'events'],
        arguments: events.flatMap((event) => [
          JSON.stringify([event.source, event.id]),
          JSON.stringify(event),
        ]),
      });
    },
  };
}
