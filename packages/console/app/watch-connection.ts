import { effect } from '@preact/signals';
import { client } from './client.ts';
import { connection, connectionLost, reloads } from './connection.ts';

const RETRY_MS = 3000;
/** Time for which the console says that the connection is back. */
const BACK_MS = 5000;

/** Watches the network of the browser, and tries to reach the service while the connection is lost. Call it once. */
export function watchConnection(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const retry = async () => {
    clearTimeout(timer);
    if (connection.peek() !== 'lost') return;
    try {
      await client.service.health();
      connection.value = 'back';
      reloads.value++;
    } catch {
      timer = setTimeout(retry, RETRY_MS);
    }
  };
  effect(() => {
    const state = connection.value;
    clearTimeout(timer);
    if (state === 'lost') timer = setTimeout(retry, RETRY_MS);
    if (state === 'back') timer = setTimeout(() => (connection.value = 'ok'), BACK_MS);
  });
  addEventListener('offline', connectionLost);
  addEventListener('online', retry);
}
