/** Who calls, in the words of the table's columns. */
export const CALLERS = {
  none: 'nobody',
  bad: 'a malformed credential',
  unkn: 'an unknown key',
  revk: 'a revoked key',
  expk: 'an expired key',
  othr: "another space's key with every scope",
  link: 'a key with links:write alone',
  evnt: 'a key with events:write alone',
  know: 'a key with knowledge:write alone',
  read: 'a key with read alone',
  strg: 'somebody signed in who has no role',
  view: 'a viewer of the bot',
  edit: 'an editor of the bot',
  ownr: 'an owner of the bot',
  nebr: 'an owner of another bot in the space',
  admn: 'an administrator',
  disa: 'a disabled owner',
  expd: "an owner's expired session",
  gone: "an owner's session that was signed out",
  widg: 'a widget session',
  wrev: 'a widget session whose link was revoked',
} as const;

export type CallerName = keyof typeof CALLERS;

/** What each caller is answered, in the order of `docs/decisions/0007`, which says why. */
const TABLE = `
                 none bad  unkn revk expk  othr link evnt know read  strg view edit ownr nebr admn  disa expd gone  widg wrev
createLink       401  401  401  401  401   403  200  403  403  403   403  403  200  200  200  200   401  401  401   403  401
createLink/bot   401  401  401  401  401   403  200  403  403  403   403  403  200  200  403  200   401  401  401   403  401
listLinks        401  401  401  401  401   403  403  403  403  200   403  403  200  200  200  200   401  401  401   403  401
showLink         401  401  401  401  401   404  403  403  403  200   404  403  200  200  200  200   401  401  401   403  401
revokeLink       401  401  401  401  401   404  204  403  403  403   404  403  204  204  204  204   401  401  401   403  401
exchangeLink     200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200

ingestEvents     401  401  401  401  401   403  403  200  403  403   403  403  200  200  200  200   401  401  401   403  401
listEvents       401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   403  401
streamEvents     401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   403  401

searchPassages   401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   200  410
createDocument   401  401  401  401  401   403  403  403  201  403   403  403  201  201  201  201   401  401  401   403  401
listDocuments    401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   200  410
showDocument     401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   200  410
downloadDocument 401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   200  410
listPassages     401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   200  410
changeDocument   401  401  401  401  401   403  403  403  200  403   403  403  200  200  200  200   401  401  401   403  401
deleteDocument   401  401  401  401  401   403  403  403  204  403   403  403  204  204  204  204   401  401  401   403  401

askAssistant     401  401  401  401  401   403  403  403  403  403   403  403  403  403  403  403   401  401  401   200  410
listConversations 401 401  401  401  401   403  403  403  403  403   403  403  403  403  403  403   401  401  401   200  410
showConversation 401  401  401  401  401   403  403  403  403  403   403  403  403  403  403  403   401  401  401   200  410
deleteConversation 401 401 401  401  401   403  403  403  403  403   403  403  403  403  403  403   401  401  401   204  410
rateAnswer       401  401  401  401  401   403  403  403  403  403   403  403  403  403  403  403   401  401  401   204  410

createSpace      401  401  401  401  401   403  403  403  403  403   201  201  201  201  201  201   401  401  401   403  401
listSpaces       401  401  401  401  401   200  403  403  403  200   200  200  200  200  200  200   401  401  401   403  401
showSpace        401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   403  401
changeSpace      401  401  401  401  401   403  403  403  403  403   403  403  200  200  200  200   401  401  401   403  401
deleteSpace      401  401  401  401  401   403  403  403  403  403   403  403  403  204  403  204   401  401  401   403  401
createBot        401  401  401  401  401   403  403  403  403  403   403  403  201  201  201  201   401  401  401   403  401
listBots         401  401  401  401  401   403  403  403  403  200   403  200  200  200  200  200   401  401  401   403  401
showBot          401  401  401  401  401   403  403  403  403  200   403  200  200  200  403  200   401  401  401   403  401
changeBot        401  401  401  401  401   403  403  403  403  403   403  403  200  200  403  200   401  401  401   403  401
deleteBot        401  401  401  401  401   403  403  403  403  403   403  403  403  204  403  204   401  401  401   403  401

listMembers      401  401  401  401  401   403  403  403  403  403   403  403  200  200  403  200   401  401  401   403  401
showMember       401  401  401  401  401   403  403  403  403  403   403  403  200  200  403  200   401  401  401   403  401
putMember        401  401  401  401  401   403  403  403  403  403   403  403  403  200  403  200   401  401  401   403  401
deleteMember     401  401  401  401  401   403  403  403  403  403   403  403  403  204  403  204   401  401  401   403  401

createApiKey     401  401  401  401  401   403  403  403  403  403   403  403  201  201  201  201   401  401  401   403  401
listApiKeys      401  401  401  401  401   403  403  403  403  403   403  403  200  200  200  200   401  401  401   403  401
showApiKey       401  401  401  401  401   403  403  403  403  403   403  403  200  200  200  200   401  401  401   403  401
changeApiKey     401  401  401  401  401   403  403  403  403  403   403  403  200  200  200  200   401  401  401   403  401
deleteApiKey     401  401  401  401  401   403  403  403  403  403   403  403  204  204  204  204   401  401  401   403  401

createEventSource 401 401  401  401  401   403  403  403  403  403   403  403  201  201  201  201   401  401  401   403  401
listEventSources 401  401  401  401  401   403  403  403  403  403   403  403  200  200  200  200   401  401  401   403  401
showEventSource  401  401  401  401  401   403  403  403  403  403   403  403  200  200  200  200   401  401  401   403  401
changeEventSource 401 401  401  401  401   403  403  403  403  403   403  403  200  200  200  200   401  401  401   403  401
rotateEventSourceSecret 401 401 401 401 401 403 403  403  403  403   403  403  201  201  201  201   401  401  401   403  401
deleteEventSource 401 401  401  401  401   403  403  403  403  403   403  403  204  204  204  204   401  401  401   403  401

signIn           200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
showSession      401  401  401  401  401   403  403  403  403  403   200  200  200  200  200  200   401  401  401   403  401
createUser       401  401  401  401  401   403  403  403  403  403   403  403  403  403  403  201   401  401  401   403  401
listUsers        401  401  401  401  401   403  403  403  403  403   403  403  403  403  403  200   401  401  401   403  401
showUser         401  401  401  401  401   403  403  403  403  403   403  403  403  403  403  200   401  401  401   403  401
changeUser       401  401  401  401  401   403  403  403  403  403   403  403  403  403  403  200   401  401  401   403  401

health           200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
readiness        200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
metrics          200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
openApi          200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
reference        200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
showKeySet       200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
widgetPage       200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
widgetAsset      404  404  404  404  404   404  404  404  404  404   404  404  404  404  404  404   404  404  404   404  404
widgetLoader     200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200
widgetOpening    200  200  200  200  200   200  200  200  200  200   200  200  200  200  200  200   200  200  200   200  200

signOut          401  401  401  401  401   403  403  403  403  403   204  204  204  204  204  204   401  401  401   403  401
`;

export interface Row {
  /** The operation's id, and after a `/` which way of asking for it. */
  readonly name: string;
  readonly operationId: string;
  readonly cells: ReadonlyMap<string, number>;
}

/** The rows of the table, in its order: signing out comes last, because it ends the callers' sessions. */
export function readMatrix(): readonly Row[] {
  const [head = '', ...lines] = TABLE.split('\n').filter((line) => line.trim() !== '');
  const columns = head.trim().split(/ +/);
  return lines.map((line) => {
    const [name = '', ...cells] = line.trim().split(/ +/);
    const [operationId = ''] = name.split('/', 1);
    return {
      name,
      operationId,
      cells: new Map(columns.map((column, index) => [column, Number(cells[index])])),
    };
  });
}
