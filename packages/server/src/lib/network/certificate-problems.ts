const UNKNOWN_AUTHORITY =
  'the certificate is not signed by a trusted authority; the operator can trust others with NODE_EXTRA_CA_CERTS';
const UNKNOWN_ISSUER =
  'the certificate is not signed by a trusted authority; send the intermediate certificates too, or the operator can trust others with NODE_EXTRA_CA_CERTS';

/** Problem and remedy by the code of Node's error for a certificate that is not accepted. */
export const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired; renew it',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet; check the clocks of both machines',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'the certificate is self-signed; the operator can trust it with NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  INVALID_PURPOSE: 'the certificate is not for servers; use one whose purpose is serverAuth',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate is for a different host; use a host name that it contains',
};
