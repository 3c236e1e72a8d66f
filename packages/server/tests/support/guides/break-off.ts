import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends the start of a request to a port of this machine and closes the connection. */
export async function breakOffRequest(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await new Promise<void>((resolve) => {
    socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{', () =>
      resolve(),
    );
  });
  socket.destroy();
  await once(socket, 'close');
}
