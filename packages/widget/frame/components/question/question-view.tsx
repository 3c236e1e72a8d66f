import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isQuestion, MAX_QUESTION_LENGTH } from '../../../protocol/messages.ts';
import type { Question } from '../../chat/message.ts';
import { IconButton } from '../icon.tsx';
import { isSendKey } from '../send-key.ts';
import { useLanguage, useStrings } from '../strings-context.ts';
import { editStrings } from './edit-strings.ts';
import { PlainQuestion, type QuestionProps } from './plain-question.tsx';

/** Texts of open editors. They outlive the component, which disappears while a notice replaces the conversation. */
const edits = new WeakMap<Question, string>();
const EDIT_ICON = 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3';

/** A question with a button to edit it. An edited question replaces the question and the messages after it. */
export function QuestionView({ question, onEdit }: QuestionProps) {
  const [isEditing, setEditing] = useState(edits.has(question));
  const edge = useRef<HTMLDivElement>(null);
  const wasEditing = useRef(false);
  const { edit } = editStrings(useLanguage());
  const end = () => {
    edits.delete(question);
    setEditing(false);
  };
  useLayoutEffect(() => {
    // The focused button or field disappears, so the focus moves to its successor.
    if (isEditing) edge.current?.querySelector('textarea')?.select();
    else if (wasEditing.current) edge.current?.querySelector('button')?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  return (
    <div class="asked" ref={edge}>
      {isEditing && onEdit !== null ? (
        <Editor
          question={question}
          onCancel={end}
          onSend={(text) => {
            end();
            onEdit(question, text);
          }}
        />
      ) : (
        <>
          <PlainQuestion question={question} onEdit={onEdit} />
          {onEdit !== null && (
            <IconButton shape={EDIT_ICON} label={edit} onPress={() => setEditing(true)} />
          )}
        </>
      )}
    </div>
  );
}

/** The text field of an edited question. Enter sends, Shift+Enter starts a new line, Escape cancels. */
function Editor(props: {
  readonly question: Question;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const { question: edited, onSend, onCancel } = props;
  const [text, setText] = useState(edits.get(edited) ?? edited.text);
  const strings = useStrings();
  const { edit, removed } = editStrings(useLanguage());
  const question = text.trim();
  const isValid = isQuestion(question);
  const send = () => {
    if (isValid) onSend(question);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      onCancel();
    }
    if (!isSendKey(event)) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        rows={3}
        dir="auto"
        value={text}
        maxLength={MAX_QUESTION_LENGTH}
        aria-label={edit}
        aria-describedby="edit-effect"
        enterkeyhint="send"
        onInput={({ currentTarget: { value } }) => {
          edits.set(edited, value);
          setText(value);
        }}
        onKeyDown={onKeyDown}
      />
      <p id="edit-effect" class="aside">
        {removed}
      </p>
      <div class="actions">
        <button type="submit" class="button" aria-disabled={!isValid}>
          {strings.send}
        </button>
        <button type="button" class="button quiet" onClick={onCancel}>
          {strings.cancel}
        </button>
      </div>
    </form>
  );
}
