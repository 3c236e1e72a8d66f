/** Version of the package. The release sets the same version everywhere; a test compares them. */
export const VERSION = '0.1.0';
