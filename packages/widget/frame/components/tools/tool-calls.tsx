import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../../api/api.ts';
import { type Failure, isFailure } from '../../api/failure.ts';
import type { ToolPart } from '../../chat/message.ts';
import type { HostPage } from '../../host-page.ts';
import { pageCallsOf } from '../../page-tools/page-calls.ts';
import { visible } from '../../text/visible.ts';
import { FailureNote } from '../failure-note.tsx';
import { useLanguage } from '../strings-context.ts';
import { callsOf, inputText, type ShownCall } from './calls.ts';
import { toolStrings } from './tool-strings.ts';

/** The tool calls of an answer. A call that needs consent has buttons to allow or deny it. */
export function ToolCalls(props: {
  readonly parts: readonly ToolPart[];
  /** `false` if the answer has ended, so that calls cannot be allowed. */
  readonly isRunning: boolean;
  readonly api: Api;
  /** The embedding page, which runs its tools. `null` if another page runs them. */
  readonly host: HostPage | null;
  /** Moves the focus to the text field. */
  readonly focus: () => void;
}) {
  const { parts, isRunning, api, host, focus } = props;
  return (
    <>
      {callsOf(parts).map((call) => (
        <Call key={call.id} call={call} isRunning={isRunning} api={api} host={host} focus={focus} />
      ))}
    </>
  );
}

function Call(props: {
  readonly call: ShownCall;
  readonly isRunning: boolean;
  readonly api: Api;
  readonly host: HostPage | null;
  readonly focus: () => void;
}) {
  const { call, isRunning, api, host, focus } = props;
  const { page } = call;
  const pageCalls = page === undefined || host === null ? null : pageCallsOf(host, api);
  const [isDecided, setDecided] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const strings = toolStrings(useLanguage());
  const isCalled = call.state === 'running' && isRunning;
  const isHarmless = page !== undefined && pageCalls?.isHarmless(page.toolName) === true;
  const needsConsent = page === undefined ? call.needsConsent : pageCalls !== null && !isHarmless;
  const waits = needsConsent && isCalled && !isDecided;
  useEffect(() => {
    if (isCalled && isHarmless && page !== undefined) pageCalls?.run(page);
    if (!isCalled) pageCalls?.end(call.id);
  }, [isCalled, isHarmless]);
  useEffect(() => () => pageCalls?.end(call.id), []);
  const state = call.state === 'running' && !isRunning ? 'ended' : call.state;
  const decide = async (decision: 'allow' | 'deny') => {
    setDecided(true);
    setFailure(null);
    // The buttons disappear, so the focus must move.
    focus();
    if (page !== undefined) {
      if (decision === 'allow') pageCalls?.run(page);
      else pageCalls?.deny(page);
      return;
    }
    const path = `/chat/tool-calls/${call.id}/decision`;
    const response = await api.send({ method: 'POST', path, body: { decision } });
    if (!isFailure(response)) return;
    setFailure(response);
    setDecided(false);
  };
  return (
    <section class="tool" aria-label={strings.call}>
      <p role={waits ? 'alert' : 'status'}>{waits ? strings.question : strings[state]}</p>
      <p class="tool-name" dir="auto">
        {visible(call.name)}
      </p>
      <pre dir="ltr">{inputText(call.input)}</pre>
      {failure !== null && <FailureNote failure={failure} />}
      {waits && (
        <div class="choices">
          <button type="button" class="button" onClick={() => void decide('allow')}>
            {strings.allow}
          </button>
          <button type="button" class="button quiet" onClick={() => void decide('deny')}>
            {strings.deny}
          </button>
        </div>
      )}
    </section>
  );
}
