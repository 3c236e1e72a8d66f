/** Splits received data into Kafka requests or responses. Each of these messages starts with a 32-bit length. */
export function frameReader(onFrame: (frame: Buffer) => void): (chunk: Buffer) => void {
  let received: Buffer = Buffer.alloc(0);
  return (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= 4 + received.readInt32BE()) {
      const end = 4 + received.readInt32BE();
      const frame = received.subarray(4, end);
      received = received.subarray(end);
      onFrame(frame);
    }
  };
}

export function toFrame(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
