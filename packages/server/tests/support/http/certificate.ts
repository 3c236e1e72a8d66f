import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const NO_OPENSSL: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is missing';

/** Creates a self-signed certificate for 127.0.0.1 and returns the paths of its files. */
export function makeCertificate(directory: string): { certificate: string; key: string } {
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, ...files], { stdio: 'ignore' });
  return { certificate, key };
}
