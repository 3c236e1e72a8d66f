export const ATTACH_ICON = 'M8 12.5l6-6a3 3 0 0 1 4.5 4.5l-8 8a5 5 0 0 1-7-7l7.5-7.5';
export const CLOSE_ICON = 'M6 6l12 12M18 6L6 18';

/**
 * A decorative icon that screen readers skip. Always combine it with a text label.
 *
 * @param shape SVG path data in a 24 by 24 view box.
 */
export function Icon({ shape }: { shape: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shape} />
    </svg>
  );
}

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
