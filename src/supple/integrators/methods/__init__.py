"""The methods and their options: Radau, generalized alpha, Dormand-Prince, SUNDIALS."""
