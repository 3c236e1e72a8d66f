/** The copy cannot be made as asked, and the message says what to do. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

/** The two ends do not hold the same, although everything was copied. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}
