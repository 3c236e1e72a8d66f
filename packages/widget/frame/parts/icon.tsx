/** Shapes on a field of 24 by 24, drawn as lines. */
const SHAPES = {
  send: 'M5 12h13M12 5l7 7-7 7',
  stop: 'M7 7h10v10H7z',
  close: 'M6 6l12 12M18 6L6 18',
  new: 'M12 5v14M5 12h14',
  history: 'M12 7v5l3 2M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  done: 'M5 13l4 4L19 7',
  again: 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6',
  up: 'M7 11v9M7 11l4-8c1.5 0 2.5 1 2.5 2.5V9H19l-1.5 11H7M7 11H4v9h3',
  down: 'M7 13V4M7 13l4 8c1.5 0 2.5-1 2.5-2.5V15H19L17.5 4H7M7 13H4V4h3',
  delete: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  newest: 'M12 5v14M5 12l7 7 7-7',
} as const;

export type IconName = keyof typeof SHAPES;

/** A picture beside words that say the same, and so nothing for screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  );
}

/** A button that shows a picture alone. */
export function IconButton(props: {
  readonly name: IconName;
  readonly label: string;
  readonly onPress: () => void;
  readonly isPressed?: boolean;
}) {
  const { name, label, onPress, isPressed } = props;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      onClick={onPress}
    >
      <Icon name={name} />
    </button>
  );
}
