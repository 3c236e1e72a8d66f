/** The release; `package.json` repeats it. */
export const VERSION = '0.1.0';
