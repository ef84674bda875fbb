export interface RoasterySizes {
  readonly users: number;
  readonly machines: number;
  readonly lots: number;
  readonly recipes: number;
  readonly roasts: number;
  /** Roasts of the first recipes that have a recorded curve, 40 a recipe. */
  readonly curves: number;
  readonly audit: number;
}

export interface SeededPeople {
  /** Both exist already: they are the ones that sign in. */
  readonly adminId: string;
  /** Owns every fifth machine. */
  readonly roasterId: string;
}
