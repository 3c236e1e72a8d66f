/** Replaces `node:net` in the simulated replicas. */
import { EventEmitter } from 'node:events';

export * from 'node:net';

/** The socket of a simulated connection. It can only be destroyed. */
export class Socket extends EventEmitter {
  destroy(): void {
    this.emit('close');
  }
}
