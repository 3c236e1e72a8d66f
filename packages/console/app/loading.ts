import { createContext } from 'preact';
import {
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { isInterrupted, type Problem, toProblem } from './client.ts';
import { isOutdated, reloads } from './connection.ts';
import { loadOrTake } from './early.ts';
import { hasUnsaved } from './forms/unsaved.ts';

/** The state of data that a component loads. */
export interface Loaded<T> {
  /** Stays while the data are loaded again, after a temporary failure, and while the connection or the session is lost. `undefined` until the first result. */
  readonly data: T | undefined;
  readonly problem: Problem | null;
  readonly reload: () => void;
}

/**
 * Loads data when the component appears, when `key` changes and when a lost connection is back. Ignores results of earlier keys.
 *
 * @param key identifies the data, such as the parameters of the request.
 */
export function useLoaded<T>(key: string, load: () => PromiseLike<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; problem: Problem | null }>({
    key: '',
    problem: null,
  });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const retry = () => {
    setState({ key: '', problem: null });
    reload();
  };
  // An ordinary effect would wait for the next frame.
  useLayoutEffect(() => {
    let isCurrent = true;
    Promise.resolve(loadOrTake({ key, load })).then(
      (data) => {
        if (!isCurrent) return;
        isOutdated.value = false;
        setState({ key, data, problem: null });
      },
      (error: unknown) => {
        if (!isCurrent) return;
        const problem = toProblem(error);
        const isKept = isInterrupted() || problem.isTemporary === true;
        setState((state) => {
          if (!isKept || state.key !== key || state.data === undefined)
            return { key, problem: problem.isTemporary === true ? { ...problem, retry } : problem };
          isOutdated.value = true;
          return state;
        });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key, round, reloads.value]);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    problem: isCurrent ? state.problem : null,
    reload,
  };
}

/**
 * Shows the first page of a list if the service does not accept the cursor in the address.
 *
 * @returns `true` until the first page is shown.
 */
export function useFirstPageInstead(problem: Problem | null): boolean {
  const { url, route } = useLocation();
  const isInvalid = problem?.isCursorInvalid === true;
  useEffect(() => {
    if (!isInvalid) return;
    const first = new URL(url, location.href);
    first.searchParams.delete('after');
    route(first.pathname + first.search, true);
  }, [isInvalid, url]);
  return isInvalid;
}

/** The state of an action that the user starts, such as saving a form. */
export interface Action<A extends readonly unknown[]> {
  readonly run: (...given: A) => Promise<void>;
  readonly problem: Problem | null;
  readonly isRunning: boolean;
  /** The last run has succeeded. */
  readonly isDone: boolean;
}

/** Shows the problem of an action in a row of a list after the row has disappeared. Null removes the problem. */
export const RowProblemContext = createContext<((problem: Problem | null) => void) | null>(null);

/**
 * Runs an action once at a time and keeps its last problem. Loads the data of the page again if the problem shows that they are stale,
 * except in a dialog, which does so when it closes.
 */
export function useAction<A extends readonly unknown[]>(
  perform: (...given: A) => Promise<void>,
): Action<A> {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [isDone, setDone] = useState(false);
  // The state of the last render is too old for a second click that follows immediately.
  const isBusy = useRef(false);
  const showInList = useContext(RowProblemContext);
  const isRemoved = useRef(false);
  const onRemoved = useRef(() => {});
  useEffect(
    () => () => {
      isRemoved.current = true;
      onRemoved.current();
    },
    [],
  );
  const run = async (...given: A) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setRunning(true);
    setDone(false);
    onRemoved.current = () => {};
    showInList?.(null);
    try {
      await perform(...given);
      setProblem(null);
      setDone(true);
    } catch (error) {
      const problem = toProblem(error);
      setProblem(problem);
      if (document.querySelector('dialog[open]') !== null) return;
      // The list was loaded again while the action was running.
      if (isRemoved.current) showInList?.(problem);
      // If the page no longer exists, its problem would replace the form.
      if (!problem.isStale || (showInList === null && hasUnsaved())) return;
      onRemoved.current = () => showInList?.(problem);
      reloads.value++;
    } finally {
      isBusy.current = false;
      setRunning(false);
    }
  };
  return { run, problem, isRunning, isDone };
}
