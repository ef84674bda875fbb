/** Below this a lot that a recipe watches raises an alert, kg (product document). Alone, since pages show it that need no schema. */
export const lowStockKg = 20;
