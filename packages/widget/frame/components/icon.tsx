/**
 * A picture beside words that say the same, and so nothing for screen readers.
 *
 * @param shape a path on a field of 24 by 24, drawn as lines.
 */
export function Icon({ shape }: { shape: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shape} />
    </svg>
  );
}

/** A button that shows a picture alone. */
export function IconButton(props: {
  readonly shape: string;
  readonly label: string;
  readonly onPress: () => void;
  readonly isPressed?: boolean;
}) {
  const { shape, label, onPress, isPressed } = props;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      onClick={onPress}
    >
      <Icon shape={shape} />
    </button>
  );
}
