/**
 * Frees the memory of bytes that are no longer used. V8 frees the memory of buffers only after dozens of megabytes of garbage, so
 * a stream of 20 MB would otherwise raise the resident memory by more than 20 MB. The view has no bytes afterwards. Does nothing
 * if other views may use the same memory.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength)
    buffer.transfer(0);
}
