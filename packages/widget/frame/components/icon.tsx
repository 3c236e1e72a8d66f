export const CLOSE_ICON = 'M6 6l12 12M18 6L6 18';

/**
 * An icon beside a text with the same meaning; screen readers skip it.
 *
 * @param shape the lines to draw, as the data of an SVG path in a view box of 24 by 24.
 */
export function Icon({ shape }: { shape: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shape} />
    </svg>
  );
}

/** A button that shows only an icon. */
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
