/**
 * Preloaded by a service (`NODE_OPTIONS=--import=…`). Kills the process before it sends the response to a request with the header
 * `x-test-kill`, when everything that the request wrote has been committed.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';

const { writeHead } = ServerResponse.prototype;

ServerResponse.prototype.writeHead = function (
  this: ServerResponse<IncomingMessage>,
  ...given: unknown[]
) {
  if (this.req.headers['x-test-kill'] !== undefined) process.kill(process.pid, 'SIGKILL');
  return Reflect.apply(writeHead, this, given);
};
