package depth

//kernel:thread
func sum(i int32, n []int32) {
	n[i] = 1 + // want "limit: this stands 201 expressions and statements deep .at most 200: use variables and helpers."
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] + n[i] +
		n[i]
}

//kernel:thread
func negation(i int32, n []int32) {
	n[i] = -(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(n[i]))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) // want "limit"
}

//kernel:thread
func blocks(i int32, n []int32) {
	if n[i] > 0 {
		if n[i] > 1 {
			if n[i] > 2 {
				if n[i] > 3 {
					if n[i] > 4 {
						if n[i] > 5 {
							if n[i] > 6 {
								if n[i] > 7 {
									if n[i] > 8 {
										if n[i] > 9 {
											if n[i] > 10 {
												if n[i] > 11 {
													if n[i] > 12 {
														if n[i] > 13 {
															if n[i] > 14 {
																if n[i] > 15 {
																	if n[i] > 16 {
																		if n[i] > 17 {
																			if n[i] > 18 {
																				if n[i] > 19 {
																					if n[i] > 20 {
																						if n[i] > 21 {
																							if n[i] > 22 {
																								if n[i] > 23 {
																									if n[i] > 24 {
																										if n[i] > 25 {
																											if n[i] > 26 {
																												if n[i] > 27 {
																													if n[i] > 28 {
																														if n[i] > 29 {
																															if n[i] > 30 {
																																if n[i] > 31 {
																																	if n[i] > 32 {
																																		if n[i] > 33 {
																																			if n[i] > 34 {
																																				if n[i] > 35 {
																																					if n[i] > 36 {
																																						if n[i] > 37 {
																																							if n[i] > 38 {
																																								if n[i] > 39 {
																																									if n[i] > 40 {
																																										if n[i] > 41 {
																																											if n[i] > 42 {
																																												if n[i] > 43 {
																																													if n[i] > 44 {
																																														if n[i] > 45 {
																																															if n[i] > 46 {
																																																if n[i] > 47 {
																																																	if n[i] > 48 {
																																																		if n[i] > 49 {
																																																			if n[i] > 50 {
																																																				if n[i] > 51 {
																																																					if n[i] > 52 {
																																																						if n[i] > 53 {
																																																							if n[i] > 54 {
																																																								if n[i] > 55 {
																																																									if n[i] > 56 {
																																																										if n[i] > 57 {
																																																											if n[i] > 58 {
																																																												if n[i] > 59 {
																																																													if n[i] > 60 {
																																																														if n[i] > 61 {
																																																															if n[i] > 62 {
																																																																if n[i] > 63 {
																																																																	if n[i] > 64 {
																																																																		if n[i] > 65 {
																																																																			if n[i] > 66 {
																																																																				if n[i] > 67 {
																																																																					if n[i] > 68 {
																																																																						if n[i] > 69 {
																																																																							if n[i] > 70 {
																																																																								if n[i] > 71 {
																																																																									if n[i] > 72 {
																																																																										if n[i] > 73 {
																																																																											if n[i] > 74 {
																																																																												if n[i] > 75 {
																																																																													if n[i] > 76 {
																																																																														if n[i] > 77 {
																																																																															if n[i] > 78 {
																																																																																if n[i] > 79 {
																																																																																	if n[i] > 80 {
																																																																																		if n[i] > 81 {
																																																																																			if n[i] > 82 {
																																																																																				if n[i] > 83 {
																																																																																					if n[i] > 84 {
																																																																																						if n[i] > 85 {
																																																																																							if n[i] > 86 {
																																																																																								if n[i] > 87 {
																																																																																									if n[i] > 88 {
																																																																																										if n[i] > 89 {
																																																																																											if n[i] > 90 {
																																																																																												if n[i] > 91 {
																																																																																													if n[i] > 92 {
																																																																																														if n[i] > 93 {
																																																																																															if n[i] > 94 {
																																																																																																if n[i] > 95 {
																																																																																																	if n[i] > 96 {
																																																																																																		if n[i] > 97 {
																																																																																																			if n[i] > 98 {
																																																																																																				if n[i] > 99 { // want "limit"
																																																																																																					n[i] = 1
																																																																																																				}
																																																																																																			}
																																																																																																		}
																																																																																																	}
																																																																																																}
																																																																																															}
																																																																																														}
																																																																																													}
																																																																																												}
																																																																																											}
																																																																																										}
																																																																																									}
																																																																																								}
																																																																																							}
																																																																																						}
																																																																																					}
																																																																																				}
																																																																																			}
																																																																																		}
																																																																																	}
																																																																																}
																																																																															}
																																																																														}
																																																																													}
																																																																												}
																																																																											}
																																																																										}
																																																																									}
																																																																								}
																																																																							}
																																																																						}
																																																																					}
																																																																				}
																																																																			}
																																																																		}
																																																																	}
																																																																}
																																																															}
																																																														}
																																																													}
																																																												}
																																																											}
																																																										}
																																																									}
																																																								}
																																																							}
																																																						}
																																																					}
																																																				}
																																																			}
																																																		}
																																																	}
																																																}
																																															}
																																														}
																																													}
																																												}
																																											}
																																										}
																																									}
																																								}
																																							}
																																						}
																																					}
																																				}
																																			}
																																		}
																																	}
																																}
																															}
																														}
																													}
																												}
																											}
																										}
																									}
																								}
																							}
																						}
																					}
																				}
																			}
																		}
																	}
																}
															}
														}
													}
												}
											}
										}
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

//kernel:thread
func minimum(i int32, n []int32) {
	n[i] = min( // want "limit"
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
		n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i], n[i],
	)
}

//kernel:thread
func conditions(i int32, n []int32) {
	switch {
	case n[i] == 0, n[i] == -0:
		n[i]++
	case n[i] == 1, n[i] == -1:
		n[i]++
	case n[i] == 2:
		n[i]++
	case n[i] == 3:
		n[i]++
	case n[i] == 4:
		n[i]++
	case n[i] == 5:
		n[i]++
	case n[i] == 6:
		n[i]++
	case n[i] == 7:
		n[i]++
	case n[i] == 8:
		n[i]++
	case n[i] == 9:
		n[i]++
	case n[i] == 10:
		n[i]++
	case n[i] == 11:
		n[i]++
	case n[i] == 12:
		n[i]++
	case n[i] == 13:
		n[i]++
	case n[i] == 14:
		n[i]++
	case n[i] == 15:
		n[i]++
	case n[i] == 16:
		n[i]++
	case n[i] == 17:
		n[i]++
	case n[i] == 18:
		n[i]++
	case n[i] == 19:
		n[i]++
	case n[i] == 20:
		n[i]++
	case n[i] == 21:
		n[i]++
	case n[i] == 22:
		n[i]++
	case n[i] == 23:
		n[i]++
	case n[i] == 24:
		n[i]++
	case n[i] == 25:
		n[i]++
	case n[i] == 26:
		n[i]++
	case n[i] == 27:
		n[i]++
	case n[i] == 28:
		n[i]++
	case n[i] == 29:
		n[i]++
	case n[i] == 30:
		n[i]++
	case n[i] == 31:
		n[i]++
	case n[i] == 32:
		n[i]++
	case n[i] == 33:
		n[i]++
	case n[i] == 34:
		n[i]++
	case n[i] == 35:
		n[i]++
	case n[i] == 36:
		n[i]++
	case n[i] == 37:
		n[i]++
	case n[i] == 38:
		n[i]++
	case n[i] == 39:
		n[i]++
	case n[i] == 40:
		n[i]++
	case n[i] == 41:
		n[i]++
	case n[i] == 42:
		n[i]++
	case n[i] == 43:
		n[i]++
	case n[i] == 44:
		n[i]++
	case n[i] == 45:
		n[i]++
	case n[i] == 46:
		n[i]++
	case n[i] == 47:
		n[i]++
	case n[i] == 48:
		n[i]++
	case n[i] == 49:
		n[i]++
	case n[i] == 50:
		n[i]++
	case n[i] == 51:
		n[i]++
	case n[i] == 52:
		n[i]++
	case n[i] == 53:
		n[i]++
	case n[i] == 54:
		n[i]++
	case n[i] == 55:
		n[i]++
	case n[i] == 56:
		n[i]++
	case n[i] == 57:
		n[i]++
	case n[i] == 58:
		n[i]++
	case n[i] == 59:
		n[i]++
	case n[i] == 60:
		n[i]++
	case n[i] == 61:
		n[i]++
	case n[i] == 62:
		n[i]++
	case n[i] == 63:
		n[i]++
	case n[i] == 64:
		n[i]++
	case n[i] == 65:
		n[i]++
	case n[i] == 66:
		n[i]++
	case n[i] == 67:
		n[i]++
	case n[i] == 68:
		n[i]++
	case n[i] == 69:
		n[i]++
	case n[i] == 70:
		n[i]++
	case n[i] == 71:
		n[i]++
	case n[i] == 72:
		n[i]++
	case n[i] == 73:
		n[i]++
	case n[i] == 74:
		n[i]++
	case n[i] == 75:
		n[i]++
	case n[i] == 76:
		n[i]++
	case n[i] == 77:
		n[i]++
	case n[i] == 78:
		n[i]++
	case n[i] == 79:
		n[i]++
	case n[i] == 80:
		n[i]++
	case n[i] == 81:
		n[i]++
	case n[i] == 82:
		n[i]++
	case n[i] == 83:
		n[i]++
	case n[i] == 84:
		n[i]++
	case n[i] == 85:
		n[i]++
	case n[i] == 86:
		n[i]++
	case n[i] == 87:
		n[i]++
	case n[i] == 88:
		n[i]++
	case n[i] == 89:
		n[i]++
	case n[i] == 90:
		n[i]++
	case n[i] == 91:
		n[i]++
	case n[i] == 92:
		n[i]++
	case n[i] == 93:
		n[i]++
	case n[i] == 94:
		n[i]++
	case n[i] == 95:
		n[i]++
	case n[i] == 96:
		n[i]++
	case n[i] == 97:
		n[i]++
	case n[i] == 98:
		n[i]++
	case n[i] == 99:
		n[i]++
	case n[i] == 100:
		n[i]++
	case n[i] == 101:
		n[i]++
	case n[i] == 102:
		n[i]++
	case n[i] == 103:
		n[i]++
	case n[i] == 104:
		n[i]++
	case n[i] == 105:
		n[i]++
	case n[i] == 106:
		n[i]++
	case n[i] == 107:
		n[i]++
	case n[i] == 108:
		n[i]++
	case n[i] == 109:
		n[i]++
	case n[i] == 110:
		n[i]++
	case n[i] == 111:
		n[i]++
	case n[i] == 112:
		n[i]++
	case n[i] == 113:
		n[i]++
	case n[i] == 114:
		n[i]++
	case n[i] == 115:
		n[i]++
	case n[i] == 116:
		n[i]++
	case n[i] == 117:
		n[i]++
	case n[i] == 118:
		n[i]++
	case n[i] == 119:
		n[i]++
	case n[i] == 120:
		n[i]++
	case n[i] == 121:
		n[i]++
	case n[i] == 122:
		n[i]++
	case n[i] == 123:
		n[i]++
	case n[i] == 124:
		n[i]++
	case n[i] == 125:
		n[i]++
	case n[i] == 126:
		n[i]++
	case n[i] == 127:
		n[i]++
	case n[i] == 128:
		n[i]++
	case n[i] == 129:
		n[i]++
	case n[i] == 130:
		n[i]++
	case n[i] == 131:
		n[i]++
	case n[i] == 132:
		n[i]++
	case n[i] == 133:
		n[i]++
	case n[i] == 134:
		n[i]++
	case n[i] == 135:
		n[i]++
	case n[i] == 136:
		n[i]++
	case n[i] == 137:
		n[i]++
	case n[i] == 138:
		n[i]++
	case n[i] == 139:
		n[i]++
	case n[i] == 140:
		n[i]++
	case n[i] == 141:
		n[i]++
	case n[i] == 142:
		n[i]++
	case n[i] == 143:
		n[i]++
	case n[i] == 144:
		n[i]++
	case n[i] == 145:
		n[i]++
	case n[i] == 146:
		n[i]++
	case n[i] == 147:
		n[i]++
	case n[i] == 148:
		n[i]++
	case n[i] == 149:
		n[i]++
	case n[i] == 150:
		n[i]++
	case n[i] == 151:
		n[i]++
	case n[i] == 152:
		n[i]++
	case n[i] == 153:
		n[i]++
	case n[i] == 154:
		n[i]++
	case n[i] == 155:
		n[i]++
	case n[i] == 156:
		n[i]++
	case n[i] == 157:
		n[i]++
	case n[i] == 158:
		n[i]++
	case n[i] == 159:
		n[i]++
	case n[i] == 160:
		n[i]++
	case n[i] == 161:
		n[i]++
	case n[i] == 162:
		n[i]++
	case n[i] == 163:
		n[i]++
	case n[i] == 164:
		n[i]++
	case n[i] == 165:
		n[i]++
	case n[i] == 166:
		n[i]++
	case n[i] == 167:
		n[i]++
	case n[i] == 168:
		n[i]++
	case n[i] == 169:
		n[i]++
	case n[i] == 170:
		n[i]++
	case n[i] == 171:
		n[i]++
	case n[i] == 172:
		n[i]++
	case n[i] == 173:
		n[i]++
	case n[i] == 174:
		n[i]++
	case n[i] == 175:
		n[i]++
	case n[i] == 176:
		n[i]++
	case n[i] == 177:
		n[i]++
	case n[i] == 178:
		n[i]++
	case n[i] == 179:
		n[i]++
	case n[i] == 180:
		n[i]++
	case n[i] == 181:
		n[i]++
	case n[i] == 182:
		n[i]++
	case n[i] == 183:
		n[i]++
	case n[i] == 184:
		n[i]++
	case n[i] == 185:
		n[i]++
	case n[i] == 186:
		n[i]++
	case n[i] == 187:
		n[i]++
	case n[i] == 188:
		n[i]++
	case n[i] == 189:
		n[i]++
	case n[i] == 190:
		n[i]++
	case n[i] == 191:
		n[i]++
	case n[i] == 192:
		n[i]++
	case n[i] == 193:
		n[i]++
	case n[i] == 194: // want "limit: this stands 201"
		n[i]++
	case n[i] == 195:
		n[i]++
	case n[i] == 196:
		n[i]++
	}
}

//kernel:thread
func allowed(i int32, n []int32) {
	n[i] = 1 + n[i]
}
