/** How each of the compared roasts looks everywhere on the page: told apart by letter and dash as well as by colour. */
export interface LineStyle {
  readonly tag: string;
  /** Colour token. */
  readonly token: string;
  /** Lengths of dash and gap, px. */
  readonly dash: readonly number[];
}

export const lineStyles: readonly LineStyle[] = [
  { tag: 'A', token: 'curve-bean', dash: [] },
  { tag: 'B', token: 'curve-exhaust', dash: [9, 3] },
  { tag: 'C', token: 'curve-drum', dash: [3, 3] },
  { tag: 'D', token: 'curve-rate', dash: [10, 3, 2, 3] },
  { tag: 'E', token: 'curve-burner-front', dash: [5, 5] },
];

export const mostCompared = lineStyles.length;
