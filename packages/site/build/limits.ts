/** Maximum size of all files of the site, without compression, in bytes. The service serves the site only below this size. */
export const MAX_BYTES = 3_000_000;
