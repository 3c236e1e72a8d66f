/** Cuts what arrives into Kafka's requests or responses: each is led by its length, 32 bits. */
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
