/**
 * Icons as strokes on a 16 × 16 grid, in the colour of the text. They are decoration only: a text label carries the
 * meaning.
 */
const paths = {
  play: 'M5 3.5v9l7-4.5z',
  step: 'M4 3.5v9l6-4.5zM12 3.5v9',
  stop: 'M4.5 4.5h7v7h-7z',
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  chevron: 'M6 4l4 4-4 4',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  image: 'M2.5 3.5h11v9h-11zM2.5 10.5l3-3 3 3 2-2 3 3M10.5 6.2h.01',
  folder: 'M2.5 4h4l1.5 2h5.5v7h-11z',
  tag: 'M2.5 8.5v-6h6l5 5-6 6zM5.5 5.5h.01',
  pin: 'M6 2.5h4l-.5 4 2.5 2.5H4L6.5 6.5zM8 9v4.5',
  focus: 'M2.5 8s2-4 5.5-4 5.5 4 5.5 4-2 4-5.5 4-5.5-4-5.5-4zM8 9.5a1.5 1.5 0 100-3 1.5 1.5 0 000 3z',
  sun: 'M8 5.2a2.8 2.8 0 100 5.6 2.8 2.8 0 000-5.6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13 9.5A5.5 5.5 0 016.5 3 5.5 5.5 0 1013 9.5z',
  contrast: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM8 2.5v11M8 5h2.5M8 8h4M8 11h2.5',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6',
  upload: 'M8 10.5v-8M5 5l3-3 3 3M3 10.5v3h10v-3',
  download: 'M8 2.5v8M5 7.5l3 3 3-3M3 10.5v3h10v-3',
  branch: 'M5 3v10M5 9c0-3 6-1.5 6-5M9 5.5l2-2 2 2',
  compare: 'M6.5 2.5h-4v11h4M9.5 2.5h4v11h-4M8 1.5v13',
  pencil: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z',
  warning: 'M8 2.5l6 11H2zM8 6.5v3.5M8 11.8h.01',
  live: 'M8 9.2a1.2 1.2 0 100-2.4 1.2 1.2 0 000 2.4M5.2 11a4.2 4.2 0 010-6M10.8 5a4.2 4.2 0 010 6M3 13.2a7.3 7.3 0 010-10.4M13 2.8a7.3 7.3 0 010 10.4',
  question: 'M8 14A6 6 0 108 2a6 6 0 000 12zM6.2 6.3a1.9 1.9 0 113 1.7c-.7.5-1.2.8-1.2 1.6M8 11.5h.01',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
