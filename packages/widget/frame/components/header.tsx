import { IconButton } from './icon.tsx';
import { SHAPES } from './shapes.ts';
import { useWords } from './strings-context.ts';

/** The name of what one talks to, and what can be done around the talk. Null: that cannot be done now. */
export function Header(props: {
  readonly title: string;
  readonly onNew: (() => void) | null;
  readonly onHistory: (() => void) | null;
  readonly onClose: (() => void) | null;
}) {
  const { title, onNew, onHistory, onClose } = props;
  const words = useWords();
  return (
    <header class="header">
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {onHistory && (
        <IconButton shape={SHAPES.history} label={words.conversations} onPress={onHistory} />
      )}
      {onNew && <IconButton shape={SHAPES.new} label={words.newConversation} onPress={onNew} />}
      {onClose && <IconButton shape={SHAPES.close} label={words.close} onPress={onClose} />}
    </header>
  );
}
