import type { OperationObject, ParameterObject } from '@gatehouse/contract';

/** An operation of the document with where it is. */
export interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** The command line that sends an operation's example request; credentials are shell variables. */
export function curlLine({ method, path, operation }: Described, baseUrl: string): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.example;
  const implied = body === undefined ? 'GET' : 'POST';
  const credential = credentialOf(operation);
  return [
    `curl${method === implied ? '' : ` -X ${method}`} ${quoted(baseUrl + urlOf(path, operation))}`,
    ...(credential === undefined ? [] : [`-H "Authorization: Bearer ${credential}"`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ');
}

/** A program's own credential, where it may be used, is the likelier one. */
function credentialOf({ security }: OperationObject): string | undefined {
  const schemes = security.flatMap((alternative) => Object.keys(alternative));
  if (schemes.includes('apiKey')) return '$API_KEY';
  if (schemes.includes('session')) return '$SESSION_TOKEN';
  return schemes.includes('widgetSession') ? '$WIDGET_SESSION' : undefined;
}

function urlOf(path: string, { parameters = [] }: OperationObject): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter === undefined ? whole : encodeURIComponent(String(parameter.example));
  });
  const query = parameters.filter((one) => one.in === 'query' && one.required).map(pairOf);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function pairOf({ name, example }: ParameterObject): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(String(example))}`;
}

/** One word of a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
