import { effect } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Api } from '../../api/api.ts';
import type { Chat } from '../../chat/chat.ts';
import type { Draft } from '../../chat/draft.ts';
import type { Message } from '../../chat/message.ts';
import { visible } from '../../text/visible.ts';
import { interpolate } from '../../translations/strings.ts';
import { ATTACH_ICON, CLOSE_ICON, IconButton } from '../icon.tsx';
import { type AttachedFile, AttachedFiles } from './attached-files.ts';
import { attachmentStrings, problemOf } from './attachment-strings.ts';

const ACCEPTED = '.txt,.text,.md,.markdown,.html,.htm,.xhtml,.csv,.tsv,.json,.pdf,.docx';

/** The files of each chat. They outlive the component, which disappears while a notice replaces the conversation. */
const filesOf = new WeakMap<Chat, AttachedFiles>();

/** Returns the files of the opened chat. Removes the files of the chat that was opened before. */
function openFiles(api: Api, chat: Chat): AttachedFiles {
  const known = filesOf.get(chat);
  if (known?.chatId === chat.chatId) return known;
  known?.[Symbol.dispose]();
  const files = new AttachedFiles(api, chat.chatId);
  filesOf.set(chat, files);
  return files;
}

/** The button that attaches files, and the attached files. Also accepts dropped and pasted files. */
export function AttachBar(props: {
  readonly api: Api;
  readonly chat: Chat;
  readonly draft: Draft;
  /** Language of the texts. */
  readonly language: string;
}) {
  const { api, chat, draft, language } = props;
  const attached = useMemo(() => openFiles(api, chat), []);
  /** `true` after a question was not sent because of a file. */
  const [isUnsent, setUnsent] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLSpanElement>(null);
  const strings = attachmentStrings(language);
  const files = attached.files.value;
  // A layout effect, so that a file can be dropped as soon as the button is visible.
  useLayoutEffect(() => {
    chat.takeFiles = async (question, signal) => {
      setUnsent(false);
      const { text } = question;
      draft.waiting = text;
      const store = () => draft.write(draft.text.peek());
      store();
      /** Returns the question to the text field, where the person may have started another question. */
      const giveBack = () => {
        // Another person, or another question.
        if (draft.waiting !== text) return;
        draft.waiting = '';
        draft.write(`${text}\n${draft.text.peek()}`.trim());
      };
      // The conversation may be loaded again without the question, or the person may leave it.
      const end = effect(() => {
        if (!chat.messages.value.some(({ id }) => id === question.id)) giveBack();
      });
      const taken = await attached.take(signal);
      if (signal.aborted) return true;
      end();
      if (taken === null) {
        const isSent = (one: Message) => one !== question && !isStreaming(one);
        chat.messages.value = chat.messages.peek().filter(isSent);
        giveBack();
        setUnsent(true);
        return false;
      }
      draft.waiting = '';
      store();
      question.files = taken;
      // Shows the files in the question. Its component renders again only for another object.
      const shown = { ...question };
      chat.messages.value = chat.messages.peek().map((one) => (one === question ? shown : one));
      return true;
    };
    const stop = receiveFiles((chosen) => attached.add(chosen));
    return () => {
      chat.takeFiles = undefined;
      stop();
      if (chat.chatId !== attached.chatId) attached[Symbol.dispose]();
    };
  }, []);
  const remove = (id: string) => {
    attached.remove(id);
    // The pressed button disappears, so the focus must move.
    button.current?.querySelector('button')?.focus();
  };
  return (
    <>
      {files.length > 0 && (
        <ul class="files" aria-label={strings.files}>
          {files.map((file) => (
            <FileItem
              key={file.id}
              file={file}
              strings={strings}
              onRemove={() => remove(file.id)}
            />
          ))}
        </ul>
      )}
      {isUnsent && files.some(({ result }) => result?.ok === false) && (
        <p class="problem" role="alert">
          {strings.unsent}
        </p>
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        onChange={({ currentTarget }) => {
          attached.add([...(currentTarget.files ?? [])]);
          // Allows the same file to be chosen again.
          currentTarget.value = '';
        }}
      />
      <span ref={button}>
        <IconButton
          shape={ATTACH_ICON}
          label={strings.attach}
          onPress={() => input.current?.click()}
        />
      </span>
    </>
  );
}

function isStreaming(message: Message): boolean {
  return message.role === 'assistant' && message.view.peek().state === 'streaming';
}

function FileItem(props: {
  readonly file: AttachedFile;
  readonly strings: ReturnType<typeof attachmentStrings>;
  readonly onRemove: () => void;
}) {
  const { file, strings, onRemove } = props;
  const { progress, result } = file;
  const name = visible(file.file.name);
  const failure = result?.ok === false ? problemOf(result.code, strings) : null;
  const state =
    result === null ? (progress < 1 ? strings.uploading : strings.reading) : strings.ready;
  return (
    <li>
      <span class="name">
        <bdi>{name}</bdi>
        {failure === null ? (
          <span class="aside" role="status">
            {` ${state}`}
          </span>
        ) : (
          <span class="problem" role="alert">
            {` ${failure}`}
          </span>
        )}
      </span>
      {result === null && (
        <progress aria-label={state} {...(progress < 1 ? { value: progress, max: 1 } : {})} />
      )}
      <IconButton
        shape={CLOSE_ICON}
        label={interpolate(strings.remove, { name })}
        onPress={onRemove}
      />
    </li>
  );
}

/** Receives files that are dropped or pasted anywhere in the page. Returns a function that stops it. */
function receiveFiles(receive: (files: readonly File[]) => void): () => void {
  const mark = (isDragging: boolean) => document.body.classList.toggle('dragging', isDragging);
  const onDrag = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    // Without this, the browser would open the dropped file instead of the chat.
    event.preventDefault();
    mark(event.type === 'dragover');
    if (event.type === 'drop') receive([...event.dataTransfer.files]);
  };
  const onPaste = ({ clipboardData }: ClipboardEvent) => {
    // Office programs also offer a picture of copied text.
    if (clipboardData !== null && clipboardData.getData('text') === '')
      receive([...clipboardData.files]);
  };
  const ending = new AbortController();
  const { signal } = ending;
  for (const type of ['dragover', 'dragleave', 'drop'] as const)
    document.addEventListener(type, onDrag, { signal });
  document.addEventListener('paste', onPaste, { signal });
  return () => {
    mark(false);
    ending.abort();
  };
}
