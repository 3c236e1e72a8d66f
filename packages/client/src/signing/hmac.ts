const PREFIX = 'whsec_';

/**
 * Imports a signing secret (`whsec_` and base64). The error of an invalid secret does not contain it. `undefined`: a program
 * without types passes a variable of the environment that is not set.
 */
export async function importSecret(secret: string | undefined): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const base64 = secret?.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const bytes = base64 ? fromBase64(base64) : undefined;
  if (bytes === undefined || bytes.byteLength === 0)
    throw new TypeError('a signing secret is whsec_ followed by base64');
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
}

/** Returns a signature of Standard Webhooks: `v1,` and base64. */
export async function signText(key: CryptoKey, text: string): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`;
}

/** Decodes base64. Returns `undefined` for any other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Returns the current time in Unix seconds. */
export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
