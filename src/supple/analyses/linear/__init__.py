"""Small motion about a state: linear models, their modes, state space, frequency response.

`linearize` chooses independent coordinates and makes the matrices of small motion in them;
`LinearModel` has eigenvalues and mode shapes, `energy_shares` names them by bodies and springs,
`state_space` has ports where the model is pushed and what of it is seen. `frequency_errors` judges
frequencies by the flexibility that is missing under the loads of each mode, `nodal_frequencies`
those of bodies over nodal vectors by models with smaller elements. It imports `equilibrium`, `base`
and rooms below analyses.
"""
